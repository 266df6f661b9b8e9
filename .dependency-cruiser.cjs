/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    { name: 'no-cycle', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'domain-is-pure',
      comment: 'domain/ imports domain/, contracts and the pure part of policy only',
      severity: 'error',
      from: { path: '/src/domain/', pathNot: '\\.test\\.ts$' },
      to: {
        pathNot:
          '(/src/domain/|^shared/contracts/|^shared/policy/src/[^/]+$|^node:|^(crypto|path|url|util|buffer)$|node_modules/(@sinclair/typebox|yaml)/)',
      },
    },
    {
      name: 'activation-is-decided-purely',
      comment: 'the life cycle of a policy is a function of state and event',
      severity: 'error',
      from: {
        path: '^services/pdp/src/application/activation/(machine|state|changes|shadow-difference)\\.ts$',
      },
      to: {
        pathNot:
          '(^services/pdp/src/(application/activation|domain)/|^services/pdp/src/ports/policy-source|^shared/contracts/|^shared/policy/src/[^/]+$|node_modules/@sinclair/typebox/)',
      },
    },
    {
      name: 'the-audit-console-has-one-seam',
      comment: 'the decision point reaches its console through open-console.ts only',
      severity: 'error',
      from: {
        path: '^services/pdp/src/',
        pathNot:
          '(/src/(console/|config\\.ts$|open-console\\.ts$)|/adapters/(audit-queries-[a-z]+|sessions-redis)\\.ts$|\\.test\\.ts$)',
      },
      to: { path: '^services/pdp/src/(console/|adapters/audit-queries)' },
    },
    {
      name: 'ports-are-interfaces',
      severity: 'error',
      from: { path: '/src/ports/' },
      to: { path: '(/src/(adapters|http)/|node_modules/)' },
    },
    {
      name: 'application-does-not-know-http',
      severity: 'error',
      from: { path: '/src/(application|ports|domain)/', pathNot: '\\.test\\.ts$' },
      to: { path: '/src/http/' },
    },
    {
      name: 'nothing-imports-the-composition',
      comment: 'files of src/ itself build the app; only they import one another',
      severity: 'error',
      from: {
        path: '^(services/[^/]+|gateway)/src/[^/]+/',
        pathNot: '(/src/testing/|\\.test\\.ts$)',
      },
      to: { path: '^(services/[^/]+|gateway)/src/[^/]+\\.ts$' },
    },
    {
      name: 'http-does-not-pick-adapters',
      severity: 'error',
      from: { path: '/src/http/', pathNot: '\\.test\\.ts$' },
      to: { path: '/src/adapters/' },
    },
    {
      name: 'only-composition-picks-adapters',
      comment: 'the entries of processes and threads, and open-*.ts beside them',
      severity: 'error',
      from: {
        path: '/src/',
        pathNot:
          '(/src/(server|migrate|reading|reader-thread|open-[a-z-]+)\\.ts$|/src/adapters/|/src/testing/|\\.test\\.ts$)',
      },
      to: { path: '/src/adapters/' },
    },
    {
      name: 'only-adapters-run-policies',
      comment: 'the rest of the decision point knows the port',
      severity: 'error',
      from: {
        path: '^services/',
        pathNot: '(/src/adapters/|/src/open-policy\\.ts$|\\.test\\.ts$)',
      },
      to: { path: '^shared/policy/src/runtime/' },
    },
    {
      name: 'policy-tables-are-pure',
      comment: 'files and WASM only in runtime/ of shared/policy',
      severity: 'error',
      from: { path: '^shared/policy/src/[^/]+$', pathNot: '\\.test\\.ts$' },
      to: {
        pathNot:
          '(^shared/policy/src/[^/]+$|^shared/(contracts|jws)/|^(node:)?crypto$|node_modules/(@sinclair/typebox|yaml)/)',
      },
    },
    {
      name: 'no-service-imports-another',
      severity: 'error',
      from: { path: '^(services/[^/]+|gateway|cli)/' },
      to: { path: '^(services/[^/]+|gateway|cli)/', pathNot: '^$1/' },
    },
    {
      name: 'shared-imports-no-service',
      severity: 'error',
      from: { path: '^shared/' },
      to: { path: '^(services|gateway|cli)/' },
    },
    {
      name: 'no-dev-dependency-in-production-code',
      severity: 'error',
      from: { path: '/src/', pathNot: '(\\.test\\.ts$|/testing/)' },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['npm', 'type-only'] },
    },
    {
      name: 'no-test-code-in-production-code',
      comment: 'shared/testing and every testing/ folder are for tests alone',
      severity: 'error',
      from: { path: '/src/', pathNot: '(\\.test\\.ts$|/testing/)' },
      to: { path: '/testing/', pathNot: 'node_modules' },
    },
    {
      name: 'nothing-undeclared-or-unresolved',
      severity: 'error',
      from: { path: '/src/' },
      to: { couldNotResolve: true },
    },
    {
      name: 'no-orphans',
      severity: 'error',
      from: {
        orphan: true,
        pathNot: '(\\.d\\.ts$|/(server|main|migrate)\\.ts$|^services/pdp/console/console\\.js$)',
      },
      to: {},
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    // Our own build output, and not the packages whose entry lies in a folder of that name.
    exclude: { path: ['^(shared|services|gateway|cli|tests)/.*dist/', '[.]cjs$'] },
    includeOnly: undefined,
    combinedDependencies: true,
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.base.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['source', 'import', 'node', 'default'],
    },
  },
};
