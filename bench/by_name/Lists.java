// Lists THREADS COUNT: threads make COUNT short-lived lists of numbers in all, and keep some of them; prints their sum.
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

class Lists {
    static long part(int count, int kept) {
        var old = new ArrayList<List<Integer>>();
        long sum = 0;
        for (int list = 0; list < count; list++) {
            var made = new ArrayList<Integer>();
            for (int number = 0; number < 1000; number++) made.add(number * 31 + list);
            sum += made.get(list % 1000);
            if (old.size() < kept) old.add(made);
            else old.set(list % kept, made);
        }
        return sum;
    }

    public static void main(String[] args) throws Exception {
        int threads = Integer.parseInt(args[0]), count = Integer.parseInt(args[1]);
        var pool = Executors.newFixedThreadPool(threads);
        var parts = new ArrayList<Future<Long>>();
        for (int one = 0; one < threads; one++) parts.add(pool.submit(() -> part(count / threads, 1200 / threads)));
        long sum = 0;
        for (var part : parts) sum += part.get();
        pool.shutdown();
        System.out.println(sum);
    }
}
