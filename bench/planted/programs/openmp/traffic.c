// Traffic on ring roads, after Nagel and Schreckenberg: every car speeds up, brakes for the car in front, and dawdles now
// and then. The roads are independent of each other.
//
//     traffic THREADS DIAL WORK
//
// WORK is the number of steps. DIAL (0 to 1) is the share of roads with induction loops: there every car is counted as it
// moves. On the others the counts are added up once a step.

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROADS = 64, CELLS = 1200, CARS = 240, LIMIT = 5, MOST_THREADS = 64 };

struct car {
    unsigned short cell;
    unsigned char speed;
    unsigned char jams;
};

struct road {
    struct car cars[CARS];
    unsigned long long random;
    int has_loops;
};

// What a thread has counted.
struct counter {
    unsigned long long cells;
    unsigned at_speed[LIMIT + 1];
};

static struct road roads[ROADS];
static struct counter counters[MOST_THREADS];

static unsigned draw(unsigned long long *state)
{
    *state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (unsigned)(*state >> 33);
}

static void fill(struct road *road, int number, int has_loops)
{
    memset(road, 0, sizeof *road);
    road->random = 88172645463325252ULL + (unsigned long long)number * 7919;
    road->has_loops = has_loops;
    for (int i = 0; i < CARS; i++) {
        road->cars[i].cell = (unsigned short)(i * (CELLS / CARS));
        road->cars[i].speed = (unsigned char)(draw(&road->random) % LIMIT);
    }
}

// Set a car's speed from the gap in front of it.
static inline int decide(struct road *road, int i)
{
    struct car *car = &road->cars[i];
    const struct car *front = &road->cars[i + 1 < CARS ? i + 1 : 0];
    int gap = front->cell - car->cell - 1;
    if (gap < 0) gap += CELLS;
    int speed = car->speed < LIMIT ? car->speed + 1 : LIMIT;
    if (speed > gap) speed = gap;
    if (speed > 0 && draw(&road->random) % 100 < 13) speed--;
    return speed;
}

static inline void advance(struct car *car, int speed)
{
    int cell = car->cell + speed;
    car->cell = (unsigned short)(cell < CELLS ? cell : cell - CELLS);
}

static void step_with_loops(struct road *road, struct counter *counter)
{
    for (int i = 0; i < CARS; i++) {
        struct car *car = &road->cars[i];
        car->speed = (unsigned char)decide(road, i);
        counter->cells += car->speed;
        counter->at_speed[car->speed]++;
        if (car->speed == 0) car->jams++;
    }
    for (int i = 0; i < CARS; i++) advance(&road->cars[i], road->cars[i].speed);
}

static void step(struct road *road, struct counter *counter)
{
    unsigned cells = 0, at_speed[LIMIT + 1] = {0};
    for (int i = 0; i < CARS; i++) {
        struct car *car = &road->cars[i];
        car->speed = (unsigned char)decide(road, i);
        cells += car->speed;
        at_speed[car->speed]++;
        if (car->speed == 0) car->jams++;
    }
    for (int i = 0; i < CARS; i++) advance(&road->cars[i], road->cars[i].speed);
    counter->cells += cells;
    for (int s = 0; s <= LIMIT; s++) counter->at_speed[s] += at_speed[s];
}

int main(int argc, char **argv)
{
    if (argc != 4) {
        fprintf(stderr, "usage: %s THREADS DIAL WORK\n", argv[0]);
        return 2;
    }
    int threads = atoi(argv[1]);
    double dial = atof(argv[2]);
    long steps = atol(argv[3]);
    omp_set_num_threads(threads);

    // The roads with loops are spread evenly over the numbers.
    for (int r = 0; r < ROADS; r++) fill(&roads[r], r, (int)((r + 1) * dial) > (int)(r * dial));

#pragma omp parallel for schedule(static)
    for (int r = 0; r < ROADS; r++) {
        struct counter *counter = &counters[omp_get_thread_num()];
        for (long s = 0; s < steps; s++) {
            if (roads[r].has_loops)
                step_with_loops(&roads[r], counter);
            else
                step(&roads[r], counter);
        }
    }

    unsigned long long cells = 0, stops = 0, fast = 0, places = 0;
    for (int t = 0; t < threads; t++) {
        cells += counters[t].cells;
        stops += counters[t].at_speed[0];
        fast += counters[t].at_speed[LIMIT];
    }
    for (int r = 0; r < ROADS; r++)
        for (int i = 0; i < CARS; i++) places = places * 31 + roads[r].cars[i].cell;
    printf("%llu cells driven, %llu stops, %llu at full speed, places %llx\n", cells, stops, fast, places);
    return 0;
}
