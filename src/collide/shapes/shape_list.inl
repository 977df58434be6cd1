/* The shapes a body can have, in the order in which they are listed to people. */
TL_SHAPE(plane)
TL_SHAPE(sphere)
TL_SHAPE(box)
TL_SHAPE(capsule)
TL_SHAPE(ellipsoid)
