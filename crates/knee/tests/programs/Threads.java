// Two threads: they work, then say where they may run.
import java.nio.file.Files;
import java.nio.file.Path;

public class Threads {
    static void say(String role) {
        try {
            Path self = Path.of("/proc/thread-self");
            String tid = Files.readSymbolicLink(self).getFileName().toString();
            for (String line : Files.readAllLines(self.resolve("status"))) {
                if (line.startsWith("Cpus_allowed_list:")) {
                    System.err.println(role + " " + tid + " " + line.split("\t")[1]);
                }
            }
        } catch (java.io.IOException error) {
            throw new java.io.UncheckedIOException(error);
        }
    }

    static void work() {
        long end = System.nanoTime() + 400_000_000L;
        while (System.nanoTime() < end) {}
        say("worker");
    }

    public static void main(String[] words) throws InterruptedException {
        Thread[] threads = {new Thread(Threads::work), new Thread(Threads::work)};
        for (Thread thread : threads) thread.start();
        for (Thread thread : threads) thread.join();
        say("main");
    }
}
