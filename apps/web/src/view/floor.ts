// Floors of the studio look: only what falls on them is seen, shadow, a pool of light and a faint grid of one metre, so
// that the floor runs into the background without an edge.
import { Color, Mesh, PlaneGeometry, ShadowMaterial } from 'three';
import { pushBack, type Pushed } from './push';

export class Floor extends Mesh<PlaneGeometry, ShadowMaterial> {
    readonly settings = {
        uGrid: { value: 0.0 },
        uGridColour: { value: new Color(1, 1, 1) },
        uReach: { value: 6 },
    };

    constructor(push: Pushed) {
        const material = new ShadowMaterial({ opacity: 0.5, transparent: true });
        super(new PlaneGeometry(400, 400).rotateX(-Math.PI / 2), material);
        material.onBeforeCompile = (shader) => {
            Object.assign(shader.uniforms, this.settings);
            shader.vertexShader = shader.vertexShader
                .replace('#include <common>', '#include <common>\nvarying vec3 vPlace;')
                .replace('#include <worldpos_vertex>', '#include <worldpos_vertex>\nvPlace = position;');
            shader.fragmentShader = shader.fragmentShader
                .replace(
                    '#include <common>',
                    '#include <common>\nvarying vec3 vPlace;\nuniform float uGrid, uReach;\nuniform vec3 uGridColour;',
                )
                .replace(
                    '#include <tonemapping_fragment>',
                    /* glsl */ `
                    vec2 w = fwidth(vPlace.xz);
                    vec2 away = abs(fract(vPlace.xz + 0.5) - 0.5);
                    vec2 line = (1.0 - smoothstep(w * 0.35, w * 1.1, away)) * (1.0 - smoothstep(0.05, 0.3, w));
                    float fade = 1.0 - smoothstep(0.15 * uReach, uReach, length(vPlace.xz));
                    float grid = max(line.x, line.y) * uGrid * fade;
                    gl_FragColor.a *= 1.0 - smoothstep(2.0 * uReach, 5.0 * uReach, length(vPlace.xz));
                    float over = grid * (1.0 - gl_FragColor.a);
                    float alpha = gl_FragColor.a + over;
                    gl_FragColor.rgb = alpha > 0.0 ? (gl_FragColor.rgb * gl_FragColor.a + uGridColour * over) / alpha : vec3(0.0);
                    gl_FragColor.a = alpha;`,
                )
                .replace('#include <tonemapping_fragment>', '');
        };
        pushBack(material, push, 'telar-floor');
        this.receiveShadow = true;
        this.renderOrder = -10;
    }
}
