/* Telar: real-time cloth. This header includes all of libtelar; scene and mesh files are in <telar/io.h>
 (libtelar-io). */
#ifndef TELAR_H
#define TELAR_H

#include "telar/character.h"
#include "telar/clock.h"
#include "telar/elements.h"
#include "telar/garment.h"
#include "telar/measures.h"
#include "telar/mesh.h"
#include "telar/octree.h"
#include "telar/param.h"
#include "telar/pattern.h"
#include "telar/shapes.h"
#include "telar/types.h"
#include "telar/world.h"

#define TL_VERSION "0.1.0"

#endif
