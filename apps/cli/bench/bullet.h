/* The sheet of `telar bench hanging-sheet` and `telar bench draped-sheet` as a Bullet soft body, for comparison in the
   same run. Built only if Bullet was found at configure time (TELAR_BULLET). */
#ifndef TELAR_CLI_BENCH_BULLET_H
#define TELAR_CLI_BENCH_BULLET_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bullet_sheet bullet_sheet;

/* n × n nodes over side × side metres, total mass in kg, structural, shear and bend links, `sweeps` solver iterations
   per frame. Hung by two corners, or with `drape` flat at 1.2 m above a ball of radius 0.5 m on the floor. NULL if out
   of memory. */
bullet_sheet *bullet_create(int drape, int n, double side, double mass, int sweeps);
void bullet_step(bullet_sheet *sheet, double dt);
void bullet_position(const bullet_sheet *sheet, int node, double x[3]);
void bullet_destroy(bullet_sheet *sheet);

#ifdef __cplusplus
}
#endif

#endif
