export * from './deadline.js';
export * from './in-time.js';
export * from './limiter.js';
export * from './outage.js';
export * from './repeat.js';
export * from './retry.js';
export * from './sleep.js';
