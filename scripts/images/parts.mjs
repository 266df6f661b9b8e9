// The images: what each is made of, besides the compiled code and the production packages of its workspace.

/** Scope of the workspaces' names, as in `node_modules`. */
export const SCOPE = '@tenure/';

const served = (name, workspace, files = []) => ({
  name,
  workspace,
  server: `${workspace}/dist/server.js`,
  files,
});

/**
 * `workspace` is its folder, `server` what the image runs, `files` what it reads at run time besides code: paths from the
 * repository's root, folders whole.
 */
export const PARTS = [
  served('gateway', 'gateway'),
  served('pdp', 'services/pdp', ['services/pdp/self-test.json', 'services/pdp/console']),
  served('inventory', 'services/inventory'),
  served('conductor', 'services/conductor'),
  served('allocation', 'services/allocation'),
  served('compute', 'services/compute'),
  {
    name: 'cli',
    workspace: 'cli',
    server: 'cli/bin/tenure.js',
    files: ['cli/bin', 'policies-rego/bundle.tar.gz', 'policies-rego/tenure/actions/data.yaml'],
  },
];

/** @throws Error when there is no such part */
export const partNamed = (name) => {
  const part = PARTS.find((each) => each.name === name);
  if (part === undefined)
    throw new Error(`no part ${name}; there are ${PARTS.map((each) => each.name).join(', ')}`);
  return part;
};
