// For scripts that Node runs itself: the support files are TypeScript that imports `./x.js`; Node runs TypeScript, but does
// not look for `./x.ts`. Import this first, and the support files with `await import(…)`.
import { registerHooks } from 'node:module';

registerHooks({
  resolve(specifier, context, next) {
    try {
      return next(specifier, context);
    } catch (error) {
      if (!specifier.startsWith('.') || !specifier.endsWith('.js')) throw error;
      return next(specifier.replace(/\.js$/, '.ts'), context);
    }
  },
});
