import js from '@eslint/js';
import comments from '@eslint-community/eslint-plugin-eslint-comments/configs';
import { createTypeScriptImportResolver } from 'eslint-import-resolver-typescript';
import { importX } from 'eslint-plugin-import-x';
import jest from 'eslint-plugin-jest';
import n from 'eslint-plugin-n';
import regexp from 'eslint-plugin-regexp';
import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';

export default defineConfig(
  { ignores: ['**/dist/', '**/coverage/', '**/*.cjs', '.tools/', '.cache/', '.data/'] },
  js.configs.recommended,
  comments.recommended,
  {
    files: ['**/*.js', '**/*.mjs'],
    languageOptions: {
      globals: Object.fromEntries(
        [
          'process',
          'console',
          'fetch',
          'Buffer',
          'URL',
          'AbortController',
          'AbortSignal',
          'setTimeout',
          'clearTimeout',
          'setInterval',
          'clearInterval',
          'performance',
          'WebAssembly',
          'structuredClone',
        ].map((name) => [name, 'readonly']),
      ),
    },
  },
  {
    files: ['**/*.ts'],
    extends: [
      tseslint.configs.strictTypeChecked,
      tseslint.configs.stylisticTypeChecked,
      importX.flatConfigs.recommended,
      importX.flatConfigs.typescript,
    ],
    languageOptions: {
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    settings: {
      'import-x/resolver-next': [
        createTypeScriptImportResolver({
          noWarnOnMultipleProjects: true,
          project: [
            'shared/*/tsconfig.build.json',
            'services/*/tsconfig.build.json',
            'gateway/tsconfig.build.json',
            'cli/tsconfig.build.json',
            'tests/tsconfig.json',
          ],
        }),
      ],
    },
    plugins: { n },
    rules: {
      'no-console': 'error',
      'max-lines': ['error', { max: 300, skipBlankLines: true, skipComments: true }],
      'max-lines-per-function': ['error', { max: 60, skipBlankLines: true, skipComments: true }],
      complexity: ['error', 10],
      'max-params': ['error', 4],
      eqeqeq: 'error',
      'n/prefer-node-protocol': 'error',
      'n/no-process-env': 'error',
      'import-x/no-cycle': 'error',
      'import-x/no-default-export': 'error',
      // TypeScript resolves default and named imports of CommonJS packages as Node does; import-x guesses
      'import-x/default': 'off',
      'import-x/no-named-as-default': 'off',
      'import-x/no-named-as-default-member': 'off',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
      'import-x/order': ['error', { alphabetize: { order: 'asc' }, 'newlines-between': 'never' }],
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/explicit-module-boundary-types': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@eslint-community/eslint-comments/require-description': 'error',
    },
  },
  {
    files: [
      '**/server.ts',
      'services/inventory/src/migrate.ts',
      'cli/src/main.ts',
      'tests/**/*.ts',
      'services/*/integration/**/*.ts',
      'gateway/integration/**/*.ts',
    ],
    rules: { 'n/no-process-env': 'off' },
  },
  {
    files: ['**/*.ts'],
    ignores: ['**/*.test.ts', '**/testing/**', 'tests/**'],
    plugins: { regexp },
    rules: {
      // No pattern takes more time than in proportion to its text, which clients, agents and BMCs send.
      'regexp/no-super-linear-backtracking': ['error', { report: 'potential' }],
      'regexp/no-super-linear-move': ['error', { report: 'potential' }],
    },
  },
  {
    files: ['cli/src/**/*.ts'],
    ignores: ['cli/src/main.ts'],
    rules: {
      'no-restricted-properties': [
        'error',
        ...['stdout', 'stderr'].map((property) => ({
          object: 'process',
          property,
          message: 'Print with a Printer (cli/src/printer.ts), which escapes what others wrote.',
        })),
      ],
    },
  },
  {
    files: ['services/*/console/*.js'],
    languageOptions: { globals: { document: 'readonly', EventSource: 'readonly' } },
  },
  {
    files: ['**/*.test.ts'],
    extends: [jest.configs['flat/recommended']],
    rules: { 'max-lines-per-function': 'off', 'max-lines': 'off' },
  },
);
