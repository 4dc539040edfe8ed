import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Electricity bills from quarter-hourly meter readings. Readings are partitioned by customer, as a message broker would,
 * and every partition has one consumer, which keeps its customers' accounts without locks.
 *
 * <p>MeterBilling THREADS DIAL WORK: WORK is the number of blocks of readings; DIAL (0 to 1) is the share of blocks that
 * come from the largest customer, a steelworks. All others are households.
 */
public final class MeterBilling {
    private static final int HOUSEHOLDS = 4000;
    private static final int STEELWORKS = 0;
    private static final int READINGS = 96;

    /** A day of one meter. */
    private record Block(int number, int customer) {}

    /** What a customer owes, in thousandths of a cent. */
    private static final class Account {
        long owed;
        long energy;
    }

    private static final class Tariff {
        private final double[] steps = {60, 150, 400, 900, 2000};
        private final double[] prices = {31.2, 29.4, 27.7, 25.1, 23.9, 21.3};

        /** Price a reading: by the hour, by the step of consumption, with the spot market's surcharge smoothed. */
        long price(int quarter, double watts, double spot) {
            int step = 0;
            while (step < steps.length && watts > steps[step]) {
                step++;
            }
            double hour = quarter / 4.0;
            double peak = 1 + 0.22 * Math.exp(-(hour - 19) * (hour - 19) / 8) + 0.11 * Math.exp(-(hour - 8) * (hour - 8) / 3);
            return Math.round(watts * prices[step] * peak * (1 + 0.04 * spot));
        }
    }

    private static final class Consumer {
        private final Tariff tariff = new Tariff();
        private final Account[] accounts = new Account[HOUSEHOLDS + 1];

        Consumer consume(List<Block> partition) {
            for (Block block : partition) {
                if (accounts[block.customer()] == null) {
                    accounts[block.customer()] = new Account();
                }
                bill(block, accounts[block.customer()]);
            }
            return this;
        }

        private void bill(Block block, Account account) {
            long state = block.number() * 0x9E3779B97F4A7C15L + 99;
            double spot = 0;
            for (int quarter = 0; quarter < READINGS; quarter++) {
                state ^= state << 13;
                state ^= state >>> 7;
                state ^= state << 17;
                double noise = (state >>> 40) / (double) (1 << 24);
                spot = 0.9 * spot + 0.1 * (noise - 0.5);
                double watts = 20 + 2400 * noise * noise * noise;
                account.owed += tariff.price(quarter, watts, spot);
                account.energy += (long) watts;
            }
        }
    }

    private static int partition(int customer, int partitions) {
        return customer % partitions;
    }

    private static List<List<Block>> receive(int blocks, double steel, int partitions) {
        List<List<Block>> result = new ArrayList<>();
        for (int p = 0; p < partitions; p++) {
            result.add(new ArrayList<>(blocks));
        }
        double due = 0;
        int household = 0;
        for (int number = 0; number < blocks; number++) {
            due += steel;
            int customer = STEELWORKS;
            if (due >= 1) {
                due -= 1;
            } else {
                customer = 1 + household++ % HOUSEHOLDS;
            }
            result.get(partition(customer, partitions)).add(new Block(number, customer));
        }
        return result;
    }

    public static void main(String[] args) {
        if (args.length != 3) {
            System.err.println("usage: MeterBilling THREADS DIAL WORK");
            System.exit(2);
        }
        int threads = Integer.parseInt(args[0]);
        double dial = Double.parseDouble(args[1]);
        int work = Integer.parseInt(args[2]);

        ExecutorService executor = Executors.newFixedThreadPool(threads);
        List<CompletableFuture<Consumer>> running = new ArrayList<>();
        for (List<Block> partition : receive(work, dial, threads)) {
            running.add(CompletableFuture.supplyAsync(() -> new Consumer().consume(partition), executor));
        }
        long owed = 0;
        long energy = 0;
        for (CompletableFuture<Consumer> future : running) {
            for (Account account : future.join().accounts) {
                if (account != null) {
                    owed += account.owed;
                    energy += account.energy;
                }
            }
        }
        executor.shutdown();
        System.out.printf("%d blocks, %d kWh, %d.%02d euro%n", work, energy / 4000, owed / 10_000_000, owed / 100_000 % 100);
    }
}
