/* Spinning: checks the tapes of a vault, whose only robot arm hands them out.
 *
 * A tape is a block of bytes; its check sum takes a few microseconds. Some tapes must be sealed, too: the robot's arm
 * turns the seal's wheel by a few thousand steps, and only one thread can hold the arm. The arm is a ticket lock, so a
 * thread that wants it is busy until its number is up. The wheel and the lock are all that the threads share, and the
 * wheel is read and written once a turn. Tapes that need no arm have their seals turned by the thread itself.
 *
 * The dial is the share of the tapes whose seals need the arm. */
#include <stdatomic.h>
#include <string.h>

#include "work.h"

enum { TAPE = 512, TURNS = 2200 };

static struct {
    _Alignas(LINE) atomic_uint next;
    _Alignas(LINE) atomic_uint serving;
    _Alignas(LINE) uint64_t wheel;
} arm;

static void take_arm(void) {
    unsigned mine = atomic_fetch_add_explicit(&arm.next, 1, memory_order_relaxed);
    while (atomic_load_explicit(&arm.serving, memory_order_acquire) != mine) __builtin_ia32_pause();
}

static void leave_arm(void) {
    unsigned now = atomic_load_explicit(&arm.serving, memory_order_relaxed);
    atomic_store_explicit(&arm.serving, now + 1, memory_order_release);
}

static uint32_t check_sum(const unsigned char *tape) {
    uint32_t low = 1, high = 0;
    for (int i = 0; i < TAPE; i++) {
        low = (low + tape[i]) % 65521;
        high = (high + low) % 65521;
    }
    return high << 16 | low;
}

static uint64_t turned(uint64_t seal) {
    for (int i = 0; i < TURNS; i++) seal = (seal << 13 | seal >> 51) * 0xD6E8FEB86659FD93u + 0x2545F491u;
    return seal;
}

static uint64_t vault(int thread) {
    unsigned char tape[TAPE];
    uint64_t seals = 0;
    for (long number = first(thread); number < first(thread + 1); number++) {
        uint64_t noise = number * 0x9E3779B97F4A7C15u + 1;
        for (int i = 0; i < TAPE; i += 8) {
            noise ^= noise << 13, noise ^= noise >> 7, noise ^= noise << 17;
            memcpy(tape + i, &noise, 8);
        }
        uint64_t seal = check_sum(tape);
        if (picked(number)) {
            take_arm();
            arm.wheel += turned(seal);
            leave_arm();
        } else {
            seals += turned(seal);
        }
    }
    return seals;
}

int main(int argc, char **argv) {
    arguments(argc, argv);
    uint64_t seals = in_threads(vault);
    print_answer(seals + arm.wheel);
    return 0;
}
