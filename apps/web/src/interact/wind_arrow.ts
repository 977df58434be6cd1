// The wind as an arrow in the scene: drag its tip, and the air moves that way.
import { ArrowHelper, Plane, Vector3 } from 'three';
import type { App } from '../app';
import { aim } from './pick';

const PER_METRE = 6; // m/s for an arrow as long as the scene's radius

export class WindArrow {
    shown = false;
    private readonly arrow = new ArrowHelper(new Vector3(1, 0, 0), new Vector3(), 1, 0x5bb8d6);
    private readonly velocity = new Vector3();
    private readonly start = new Vector3();
    private radius = 1;

    constructor(private readonly app: App) {
        this.arrow.visible = false;
        app.stage.scene.add(this.arrow);
        for (const event of ['built', 'changed'] as const) app.on(event, () => this.place());
    }

    toggle(): void {
        this.shown = !this.shown;
        this.place();
        if (this.shown) this.app.say('Drag the tip of the blue arrow: that is where the wind blows, and how fast');
    }

    private place(): void {
        this.arrow.visible = this.shown;
        this.app.redraw();
        if (!this.shown) return;
        const { center, radius } = this.app.stage.bounds();
        this.radius = Math.max(radius, 0.1);
        this.start.copy(center).add(new Vector3(0, 0.9 * this.radius, 0));
        const wind = (this.app.valueOf('wind.velocity') as number[] | null) ?? [0, 0, 0];
        this.velocity.set(wind[0], wind[1], wind[2]);
        if (this.app.valueOf('wind.kind') === 'still') this.velocity.set(0, 0, 0);
        this.draw();
    }

    private draw(): void {
        const speed = this.velocity.length();
        const length = Math.max((speed / PER_METRE) * this.radius, 0.12 * this.radius);
        this.arrow.position.copy(this.start);
        this.arrow.setDirection(speed > 0 ? this.velocity.clone().normalize() : new Vector3(1, 0, 0));
        this.arrow.setLength(length, Math.min(0.16 * this.radius, 0.6 * length), 0.09 * this.radius);
        this.app.redraw();
    }

    tip(): Vector3 {
        const speed = this.velocity.length();
        const length = Math.max((speed / PER_METRE) * this.radius, 0.12 * this.radius);
        return this.start.clone().addScaledVector(speed > 0 ? this.velocity.clone().normalize() : new Vector3(1, 0, 0), length);
    }

    grab(x: number, y: number): boolean {
        if (!this.shown) return false;
        const tip = this.app.stage.project(this.tip());
        const box = this.app.stage.canvas.getBoundingClientRect();
        return Math.hypot(x - box.left - tip.x, y - box.top - tip.y) < 26;
    }

    drag(x: number, y: number): void {
        const { camera } = this.app.stage;
        const plane = new Plane().setFromNormalAndCoplanarPoint(camera.getWorldDirection(new Vector3()), this.tip());
        const point = aim(this.app.stage, x, y).ray.intersectPlane(plane, new Vector3());
        if (!point) return;
        this.velocity.copy(point.sub(this.start)).multiplyScalar(PER_METRE / this.radius).clampLength(0, 30);
        this.draw();
    }

    release(): void {
        const wind = this.velocity.toArray().map((v) => Number(v.toFixed(2)));
        if (this.app.valueOf('wind.kind') === 'still') void this.app.set('wind.kind', 'uniform');
        void this.app.set('wind.velocity', wind);
    }
}
