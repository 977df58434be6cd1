/* The studies, in the order in which they run: EXPERIMENT(group, name, sentence). The function is
   experiment_<group>_<name>, the name on the command line is group/name. */
EXPERIMENT(
    s0, stretch,
    "Stretch of a hung sheet against iterations and resolution, by constraints and by forces (S0 figures 4.7-4.9).")
EXPERIMENT(s0, bend, "The continuum with and without bending forces (S0 figure 4.12).")
EXPERIMENT(
    s0, models,
    "Time per model and per stage for 11 x 11 to 71 x 71 on the bunny, and the four results (S0 figures 5.1-5.3).")
EXPERIMENT(drape, cusick,
           "Drape test of Cusick: a disc of 30 cm over one of 18 cm, its shadow from above, for every fabric.")
EXPERIMENT(s1, gravity, "A ball on a box of air under stronger, reversed and no gravity (S1 figures 4.3-4.5).")
EXPERIMENT(s1, gas, "The gas switched off and on under the ball, and more and more of it (S1 figures 4.6-4.7).")
EXPERIMENT(s1, springs,
           "No damping, too much of it, and springs that get weaker until the sheet bursts (S1 figures 4.8-4.10).")
EXPERIMENT(s2, springs, "The sheet on the ball with spring constants from slime to paper (S2 section 3.2).")
EXPERIMENT(s2, grids, "The same with 10 x 10 to 60 x 60 particles: speed and pictures (S2 section 3.3).")
EXPERIMENT(s3, mass, "A falling sheet of equal, sinusoidal and random masses (S3 annex A).")
EXPERIMENT(s3, nurbs, "The sheet as a NURBS surface and as a hybrid with particles: cost and exchange (S3 chapter 6).")
