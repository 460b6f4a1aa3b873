// Navigation: nothing is contributed yet.
import type { Services } from '../services';

export function register(_services: Services): void {}
