/* One line per stepper: the class is tl_stepper_<name>. */
TL_STEPPER(xpbd, "xpbd")
TL_STEPPER(projection, "projection")
TL_STEPPER(range, "range")
TL_STEPPER(semi_implicit_euler, "semi-implicit-euler")
TL_STEPPER(verlet, "verlet")
TL_STEPPER(explicit_euler, "explicit-euler")
TL_STEPPER(kinematic, "kinematic")
TL_STEPPER(rk4, "rk4")
