/* The pool of threads: all parts are done, once, before a run returns; parts cover all there is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <cmocka.h>

#include "core/tasks.h"

enum { MOST = 7 };

static void wait(long microseconds) { nanosleep(&(struct timespec){.tv_nsec = 1000 * microseconds}, NULL); }

/* Plain numbers: what one thread writes the next run reads, on another. */
typedef struct tally {
    int done[MOST], parts;
    long slow; /* µs that the last part takes longer than the others */
} tally;

static void count(void *user, int part, int parts)
{
    tally *all = user;
    if (part == parts - 1 && all->slow > 0)
        wait(all->slow);
    ++all->done[part];
    if (part == 0)
        all->parts = parts;
}

static void all_parts_are_done_once_when_a_run_returns(void **state)
{
    (void)state;
    tl_allocator allocator = tl_allocator_or_default(NULL);
    for (int threads = 1; threads <= MOST; threads += 2) {
        tl_tasks *tasks = tl_tasks_create(&allocator, threads);
        tally all = {.slow = 0};
        assert_non_null(tasks);
        assert_int_equal(tl_tasks_threads(tasks), threads);
        for (int run = 1; run <= 60; ++run) {
            all.slow = run % 20 == 0 ? 1000 : 0;
            if (run % 15 == 0)
                wait(2000); /* workers have gone to sleep */
            tl_tasks_run(tasks, count, &all);
            assert_int_equal(all.parts, threads);
            for (int part = 0; part < threads; ++part)
                assert_int_equal(all.done[part], run);
        }
        tl_tasks_destroy(tasks);
    }
}

static void without_a_pool_the_caller_does_it_all(void **state)
{
    (void)state;
    tally all = {.parts = 0};
    tl_tasks_run(NULL, count, &all);
    assert_int_equal(tl_tasks_threads(NULL), 1);
    assert_int_equal(all.parts, 1);
    assert_int_equal(all.done[0], 1);
    tl_tasks_destroy(NULL);
}

static void parts_follow_each_other_from_start_to_end(void **state)
{
    (void)state;
    for (int things = 0; things <= 70; ++things)
        for (int parts = 1; parts <= MOST; ++parts)
            for (int grain = 1; grain <= 8; grain *= 2) {
                assert_int_equal(tl_part_bound(things, 0, parts, grain), 0);
                assert_int_equal(tl_part_bound(things, parts, parts, grain), things);
                for (int part = 1; part < parts; ++part) {
                    int bound = tl_part_bound(things, part, parts, grain);
                    assert_true(bound >= tl_part_bound(things, part - 1, parts, grain));
                    assert_true(bound % grain == 0 || bound == things);
                }
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_parts_are_done_once_when_a_run_returns),
        cmocka_unit_test(without_a_pool_the_caller_does_it_all),
        cmocka_unit_test(parts_follow_each_other_from_start_to_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
