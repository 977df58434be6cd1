/* The shapes a body can have, in the order shown to users: TL_SHAPE(name, meaning of its size). The name is that of
   the class tl_shape_<name>; the help of the parameter body.size is built from all lines. */
TL_SHAPE(plane, "not used")
TL_SHAPE(sphere, "radius in x")
TL_SHAPE(box, "full edges")
TL_SHAPE(capsule, "radius in x, length between the centres of its half-spheres in y")
TL_SHAPE(ellipsoid, "semi-axes")
