/* Duplicated work: estimates what a wind farm yields, in steps of five years. First a table is prepared of what a turbine
 * gives in those years' air, by wind speed and by how far it stands in another's wake; then their hours are looked up.
 *
 * The dial is the share of the table's rows that every thread prepares for itself. The others are prepared once, by the
 * threads together. */
#include "../c/work.h"

enum { SPEEDS = 128, WAKES = 16, SECTIONS = 450, TURBINES = 12, HOURS = 5 * 8760 };

typedef double Row[WAKES];

/* What the sections of a blade give at one wind speed, for every depth of the wake. */
static __attribute__((noinline)) void prepare(Row row, int number, double air) {
    double speed = 3 + 22.0 * number / SPEEDS, calm = 0.4;
    for (int wake = 0; wake < WAKES; wake++) {
        double behind = speed * (1 - calm), lift = 0;
        for (int section = 1; section <= SECTIONS; section++) {
            double turn = 0.018 * section, along = behind * behind / (behind + turn);
            lift = lift * 0.99 + air * along * turn / (1 + 0.02 * lift);
        }
        row[wake] = lift * 1000;
        calm *= 0.85;
    }
}

int main(int argc, char **argv) {
    arguments(argc, argv);
    static Row joint[SPEEDS];
    int alone = (int)(dial * SPEEDS);
    uint64_t energy = 0;
#pragma omp parallel num_threads(threads) reduction(+ : energy)
    {
        Row own[SPEEDS];
        const double *rows[SPEEDS];
        for (int speed = 0; speed < SPEEDS; speed++) rows[speed] = speed < alone ? own[speed] : joint[speed];
        for (long step = 0; step < work; step++) {
            double air = 1.2 + 0.001 * (double)(step % 50);
            for (int speed = 0; speed < alone; speed++) prepare(own[speed], speed, air);
#pragma omp for schedule(static)
            for (int speed = alone; speed < SPEEDS; speed++) prepare(joint[speed], speed, air);
#pragma omp for schedule(static)
            for (int hour = 0; hour < HOURS; hour++) {
                uint64_t wind = (uint64_t)(step * HOURS + hour) * 0x9E3779B97F4A7C15u;
                for (int turbine = 0; turbine < TURBINES; turbine++) {
                    wind = wind * 6364136223846793005u + 1442695040888963407u;
                    int speed = (int)(wind >> 57), wake = (int)(wind >> 40) & (WAKES - 1);
                    energy += (uint64_t)(rows[speed][wake]);
                }
            }
        }
    }
    print_answer(energy);
    return 0;
}
