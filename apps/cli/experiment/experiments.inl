/* The studies, in the order in which they run: EXPERIMENT(group, name, sentence). The function is
   experiment_<group>_<name>, the name on the command line is group/name. */
EXPERIMENT(s0, stretch, "Stretch of a hung sheet against iterations and resolution, by constraints and by forces (S0 figures 4.7-4.9).")
