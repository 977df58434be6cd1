// The physical material of cloth: three.js's sheen model, with a weave, curves or an overlay computed per pixel. Threads
// are filtered by their own derivatives, so that nothing has to be downloaded and nothing shimmers.
import { Color, DoubleSide, MeshPhysicalMaterial, Vector2 } from 'three';

export const LOOKS = ['fabric', 'curves', 'plain', 'wireframe'] as const;
export type ClothLook = (typeof LOOKS)[number];
export const WEAVES = ['plain', 'twill', 'satin'] as const;
export type Weave = (typeof WEAVES)[number];

export interface ClothUniforms {
    uLook: { value: number };
    uWeave: { value: number };
    uThreads: { value: number };
    uSize: { value: Vector2 };
    uSecond: { value: Color };
    uStripes: { value: number };
    uOverlay: { value: number }; // the overlay's highest value; 0 for none
    uThrough: { value: number };
}

const declarations = /* glsl */ `
uniform float uLook, uWeave, uThreads, uStripes, uOverlay, uThrough;
uniform vec2 uSize;
uniform vec3 uSecond;
varying vec2 vWeave;
varying float vScalar;
varying float vFold;
float band(float x, float width) {
    float p = x / (2.0 * width), w = max(fwidth(p), 1e-4);
    float a = p - 0.5 * w, b = p + 0.5 * w;
    float ia = floor(a) * 0.5 + min(fract(a), 0.5), ib = floor(b) * 0.5 + min(fract(b), 0.5);
    return (ib - ia) / w;
}
vec3 ramp(float t) {
    // dark blue, teal, yellow, red: even in lightness, readable without colour vision
    vec3 a = vec3(0.010, 0.015, 0.10), b = vec3(0.0, 0.19, 0.30), c = vec3(0.85, 0.55, 0.06), d = vec3(0.75, 0.02, 0.02);
    t = clamp(t, 0.0, 1.0) * 3.0;
    return t < 1.0 ? mix(a, b, t) : t < 2.0 ? mix(b, c, t - 1.0) : mix(c, d, t - 2.0);
}
struct Threads { vec3 colour; vec3 tilt; };
Threads threads(vec3 yarn, vec3 position) {
    Threads result = Threads(yarn, vec3(0.0));
    vec2 m = vWeave * uSize;
    float every = uWeave < 0.5 ? 2.0 : uWeave < 1.5 ? 3.0 : 5.0; // yarns in one repeat: plain 1/1, twill 2/1, satin 4/1
    float a = uStripes > 0.0 ? band(m.x, uStripes) : 0.0;
    vec3 warpYarn = mix(yarn, uSecond, a);
    vec3 far = mix(yarn, warpYarn, (every - 1.0) / every);
    vec2 p = m * uThreads, w = fwidth(p);
    float detail = 1.0 - smoothstep(0.25, 0.6, max(w.x, w.y)); // gone before two pixels a thread: no moire
    vec2 cell = floor(p), f = p - cell - 0.5;
    float shift = uWeave < 1.5 ? 1.0 : 2.0;
    bool warp = mod(cell.x + shift * cell.y, every) < every - 1.0;
    float across = warp ? f.x : f.y, along = warp ? f.y : f.x;
    float bulge = 1.0 - 4.0 * across * across;
    float shade = (0.5 + 0.6 * bulge * (0.75 + 0.25 * cos(6.2831853 * along))) / 0.8;
    float which = warp ? cell.x : cell.y + 0.37;
    shade *= 0.95 + 0.1 * fract(sin(which * 12.9898) * 43758.547); // no two yarns are alike
    vec3 px = dFdx(position), py = dFdy(position);
    vec2 ux = dFdx(vWeave), uy = dFdy(vWeave);
    float hand = sign(ux.x * uy.y - ux.y * uy.x);
    vec3 T = warp ? px * uy.y - py * ux.y : py * ux.x - px * uy.x;
    result.tilt = T * (hand * inversesqrt(max(dot(T, T), 1e-20)) * across * 0.8 * detail);
    result.colour = mix(far, (warp ? warpYarn : yarn) * shade, detail);
    return result;
}
vec3 curves(vec3 yarn) {
    float phase = (vWeave.x + vWeave.y) * 50.0 + 2.0 * sin((vWeave.x - vWeave.y) * 50.0);
    float w = fwidth(phase);
    float wave = clamp(sin(phase) / max(0.6, w), 0.0, 1.0);
    wave = mix(wave, 0.41, smoothstep(1.0, 2.6, w));
    return mix(yarn, uSecond, wave);
}
`;

export interface ClothMaterial extends MeshPhysicalMaterial {
    cloth: ClothUniforms;
}

/** A material for one cloth. `roughness`, `color` and sheen are three.js's own and may be changed at any time. */
export function clothMaterial(): ClothMaterial {
    const material = new MeshPhysicalMaterial({
        side: DoubleSide,
        roughness: 0.85,
        sheen: 1,
        sheenRoughness: 0.45,
        envMapIntensity: 1,
    }) as ClothMaterial;
    material.cloth = {
        uLook: { value: 0 },
        uWeave: { value: 0 },
        uThreads: { value: 300 },
        uSize: { value: new Vector2(2, 2) },
        uSecond: { value: new Color(0.93, 0.9, 0.83) },
        uStripes: { value: 0 },
        uOverlay: { value: 0 },
        uThrough: { value: 0.1 },
    };
    material.onBeforeCompile = (shader) => {
        Object.assign(shader.uniforms, material.cloth);
        shader.vertexShader = shader.vertexShader
            .replace(
                '#include <common>',
                '#include <common>\nattribute float scalar, fold;\nvarying vec2 vWeave;\nvarying float vScalar, vFold;',
            )
            .replace('#include <begin_vertex>', '#include <begin_vertex>\nvWeave = uv; vScalar = scalar; vFold = fold;');
        shader.fragmentShader = shader.fragmentShader
            .replace('#include <common>', '#include <common>\n' + declarations)
            .replace(
                '#include <color_fragment>',
                /* glsl */ `
                vec3 tilt = vec3(0.0);
                if (uLook < 0.5) {
                    Threads woven = threads(diffuseColor.rgb, -vViewPosition);
                    diffuseColor.rgb = woven.colour;
                    tilt = woven.tilt;
                } else if (uLook < 1.5) {
                    diffuseColor.rgb = curves(diffuseColor.rgb);
                }
                if (uOverlay > 0.0) diffuseColor.rgb = ramp(vScalar / uOverlay);`,
            )
            .replace('#include <normal_fragment_maps>', '#include <normal_fragment_maps>\nnormal = normalize(normal + tilt);')
            .replace(
                '#include <aomap_fragment>',
                /* glsl */ `
                // valleys of folds see less of the room; on the other side of the cloth they are ridges
                float inside = gl_FrontFacing ? vFold : -vFold;
                float open = clamp(1.0 - 1.1 * max(inside, 0.0), 0.25, 1.0);
                reflectedLight.indirectDiffuse *= open;
                reflectedLight.indirectSpecular *= open;
                reflectedLight.directDiffuse *= mix(1.0, open, 0.35);
                #ifdef USE_SHEEN
                sheenSpecularIndirect *= open;
                #endif`,
            );
    };
    material.customProgramCacheKey = () => 'telar-cloth';
    return material;
}
