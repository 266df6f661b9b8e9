export * from './entrypoint.js';
export * from './failures.js';
export * from './json-object.js';
export * from './overlays.js';
export * from './policy-answer.js';
export * from './policy-data.js';
export * from './policy-material.js';
export * from './switch-variables.js';
