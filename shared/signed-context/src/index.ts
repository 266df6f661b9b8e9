export * from './context.js';
export * from './keys.js';
