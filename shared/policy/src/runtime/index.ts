export * from './bundle-archive.js';
export * from './bundle-entries.js';
export * from './bundle-signature.js';
export * from './open-bundle.js';
export * from './policy-files.js';
export * from './wasm-policy.js';
