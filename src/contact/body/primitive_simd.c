#include "contact/body/primitive_simd.h"

#include "collide/shapes/shapes.h"

/* The rotation aᵀ b less the identity, where rows a and b are inverse rotations. */
static tl_matrix3 rotation_between(const tl_matrix3 *a, const tl_matrix3 *b)
{
    /* aᵀ b − 1 = aᵀ (b − a) because aᵀ a = 1 */
    tl_matrix3 r;
    for (int k = 0; k < 3; ++k) {
        tl_vec3 sum = {0};
        for (int n = 0; n < 3; ++n) {
            tl_vec3 row = a->row[n];
            tl_real weight = k == 0 ? row.x : k == 1 ? row.y : row.z;
            sum = tl_madd(sum, tl_sub(b->row[n], a->row[n]), weight);
        }
        r.row[k] = sum;
    }
    return r;
}

bool tl_primitive_prepare(const tl_contact_cloth *cloth, tl_contact_body *body, tl_primitive *primitive)
{
    if (body->rigid || (body->shape != &tl_shape_sphere && body->shape != &tl_shape_plane))
        return false;
    tl_prepared_body prepared = tl_prepare_body(cloth, body);
    *primitive = (tl_primitive){.round = body->shape == &tl_shape_sphere,
                                .moves = prepared.moves,
                                .turns = prepared.turns,
                                .from = body->from.position,
                                .to = body->to.position,
                                .shift = prepared.shift,
                                .up = prepared.from.row[1],
                                .up_end = prepared.to.row[1],
                                .spin = prepared.spin,
                                .friction = prepared.friction,
                                .restitution = body->restitution};
    primitive->size = prepared.margin + (primitive->round ? body->size.x : 0);
    /* a particle at x near a body at c has |x − c| or |x| above |c|/2 */
    tl_vec3 c = body->to.position;
    tl_real scale = tl_max(fabs(c.x), tl_max(fabs(c.y), fabs(c.z))) / 2;
    primitive->tolerance = TL_CONTACT_ULPS * TL_REAL_EPSILON * tl_max(scale, cloth->thickness);
    if (prepared.turns) {
        primitive->back = rotation_between(&prepared.from, &prepared.to);
        primitive->forth = rotation_between(&prepared.to, &prepared.from);
    }
    return true;
}

void tl_primitive_finish(const tl_primitive *primitive, tl_contact_body *body)
{
    tl_real total[6] = {0};
    for (int k = 0; k < 6; ++k)
        for (int lane = 0; lane < TL_LANES; ++lane)
            total[k] += primitive->sum[k][lane];
    body->impulse = tl_add(body->impulse, tl_v3(total[0], total[1], total[2]));
    body->moment = tl_add(body->moment, tl_v3(total[3], total[4], total[5]));
}
