// Fewer pixels and a smaller shadow map where pictures come too slowly; more again where there is time.
import type { Stage } from './stage';

const LEVELS = [
    { ratio: 2, shadow: 1024 },
    { ratio: 1.5, shadow: 1024 },
    { ratio: 1, shadow: 1024 },
    { ratio: 1, shadow: 768 },
    { ratio: 0.75, shadow: 1024 },
    { ratio: 0.55, shadow: 512 },
];

export class Quality {
    level = 0;
    private fixed = false;
    private slow = 0;
    private fast = 0;
    private width = 1;
    private height = 1;

    constructor(private readonly stage: Stage) {
        while (this.level < 2 && LEVELS[this.level].ratio > Math.max(window.devicePixelRatio, 1)) this.level++;
    }

    keep(): void {
        this.level = this.least();
        this.fixed = true;
        this.apply();
    }

    private least(): number {
        return LEVELS.findIndex(({ ratio }) => ratio <= Math.max(window.devicePixelRatio, 1));
    }

    apply(width = this.width, height = this.height): void {
        this.width = width;
        this.height = height;
        const { ratio, shadow } = LEVELS[this.level];
        this.stage.shadowSize = shadow;
        this.stage.resize(width, height, Math.min(ratio, Math.max(window.devicePixelRatio, 1)));
    }

    /** After each picture, with the time since the last one. */
    drawn(seconds: number): void {
        if (this.fixed) return;
        this.slow = seconds > 0.024 ? this.slow + 1 : Math.max(0, this.slow - 1);
        this.fast = seconds < 0.0185 ? this.fast + 1 : 0;
        if (this.slow > 20 && this.level < LEVELS.length - 1) this.change(1);
        else if (this.fast > 900 && this.level > this.least()) this.change(-1);
    }

    private change(by: number): void {
        this.level += by;
        this.slow = this.fast = 0;
        this.apply();
    }

    /** Runs `draw` at the best quality once. */
    best<T>(draw: () => T): T {
        const level = this.level;
        this.level = Math.min(level, 1);
        const { shadow } = LEVELS[0];
        this.stage.shadowSize = shadow;
        this.stage.resize(this.width, this.height, Math.max(1.5, Math.min(2, window.devicePixelRatio)));
        const result = draw();
        this.level = level;
        this.apply();
        return result;
    }
}
