/* Fixed steps for programs that draw at any rate: the same motion at 30, 60 and 144 frames a second and through spikes,
   drawn smoothly between two steps.

     tl_fixed_clock clock = tl_fixed_clock_default();
     each frame:
       for (int n = tl_fixed_clock_advance(&clock, seconds_since_last_frame); n > 0; --n)
           tl_world_step(world, (tl_real)clock.step);
       draw(tl_cloth_blended_positions(cloth, (tl_real)tl_fixed_clock_blend(&clock))); */
#ifndef TELAR_CLOCK_H
#define TELAR_CLOCK_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tl_fixed_clock {
    double step;   /* s, of the simulation */
    int max_steps; /* per frame drawn: a slow program slows the simulation down instead of falling behind for ever */
    double left;   /* s, passed and not simulated yet; below one step */
} tl_fixed_clock;

/* 60 steps a second, at most 8 per frame drawn. Change both as you like. */
tl_fixed_clock tl_fixed_clock_default(void);

/* Adds the time since the last frame drawn, s, and returns how many steps to take: 0 … max_steps. Time beyond is
   dropped; so is one that is negative or not finite. */
int tl_fixed_clock_advance(tl_fixed_clock *clock, double seconds);

/* How far the present is between the start (0) and the end (1) of the last step. What is drawn is one step late. */
double tl_fixed_clock_blend(const tl_fixed_clock *clock);

#ifdef __cplusplus
}
#endif

#endif
