export * from './policy-files.js';
export * from './time-limit.js';
export * from './wasm-policy.js';
