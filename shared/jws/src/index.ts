export * from './algorithm.js';
export * from './jws.js';
