import { registerHooks } from 'node:module';

// Lets a thread of a test run the TypeScript sources: it resolves `./x.js` to `./x.ts`.
registerHooks({
  resolve: (specifier, context, next) =>
    specifier.startsWith('.') && specifier.endsWith('.js') && context.parentURL?.endsWith('.ts')
      ? next(specifier.replace(/\.js$/u, '.ts'), context)
      : next(specifier, context),
});
