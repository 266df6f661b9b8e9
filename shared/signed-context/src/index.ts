export * from './call-context.js';
export * from './context.js';
export * from './keys.js';
export * from './used-contexts.js';
