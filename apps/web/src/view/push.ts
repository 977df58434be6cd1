// Bodies are drawn a little behind the cloth that rests on them: a coarse cloth cuts corners, and would let the body show
// through. Only the depth moves, along the ray of sight, so that no outline changes.
import type { Material } from 'three';

export interface Pushed {
    value: number; // m
}

export function pushBack<T extends Material>(material: T, push: Pushed, key: string): T {
    const before = material.onBeforeCompile;
    material.onBeforeCompile = (shader, renderer) => {
        before.call(material, shader, renderer);
        shader.uniforms.uPush = push;
        shader.vertexShader = shader.vertexShader
            .replace('#include <common>', '#include <common>\nuniform float uPush;')
            .replace(
                '#include <project_vertex>',
                /* glsl */ `#include <project_vertex>
                vec4 behind = projectionMatrix * vec4(mvPosition.xyz + normalize(mvPosition.xyz) * uPush, 1.0);
                gl_Position.z = behind.z / behind.w * gl_Position.w;`,
            );
    };
    material.customProgramCacheKey = () => key;
    return material;
}
