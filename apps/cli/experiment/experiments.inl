/* The studies, in the order in which they run: EXPERIMENT(group, name, sentence). The function is
   experiment_<group>_<name>, the name on the command line is group/name. */
EXPERIMENT(s0, stretch, "Stretch of a hung sheet against iterations and resolution, by constraints and by forces (S0 figures 4.7-4.9).")
EXPERIMENT(drape, cusick, "Drape test of Cusick: a disc of 30 cm over one of 18 cm, its shadow from above, for every fabric.")
EXPERIMENT(s1, gravity, "A ball on a box of air under stronger, reversed and no gravity (S1 figures 4.3-4.5).")
EXPERIMENT(s1, gas, "The gas switched off and on under the ball, and more and more of it (S1 figures 4.6-4.7).")
EXPERIMENT(s1, springs, "No damping, too much of it, and springs that get weaker until the sheet bursts (S1 figures 4.8-4.10).")
