import { type ContextClaims, minorOf, type ServerChange } from '@tenure/contracts';
import { assertHasNode, assertTakes } from '../domain/action-states.js';
import { readRebuildRequest } from '../domain/change-requests.js';
import { newPassword } from '../domain/password.js';
import { serverUrl, serverView } from '../domain/server-view.js';
import { type ActionCall } from './action-call.js';
import { type RouteDeps, requestTask } from './change-server.js';
import { ownKeypair } from './named-by-caller.js';
import { viewOptionsOf } from './request-parts.js';

type RebuildRequest = ReturnType<typeof readRebuildRequest>;

/** The action `rebuild`: the server's machine gets an image anew. */
export async function rebuildServer({ deps, claims, body, response }: ActionCall): Promise<void> {
  const request = readRebuildRequest(body, minorOf(claims));
  const set = { ...changesIn(request), ...(await keyOf(deps, claims, request.key_name)) };
  const adminPass = request.adminPass ?? newPassword();
  const server = await requestTask(deps, claims, (before) => {
    assertTakes('rebuild', before);
    assertHasNode('rebuild', before);
    const stop_after = before.vm_state === 'stopped';
    const given = { admin_pass: adminPass, stop_after };
    return { kind: 'rebuild', taskState: 'rebuilding', arguments: given, set };
  });
  response
    .status(202)
    .set('Location', serverUrl(claims.public_base, server.uuid))
    .json({ server: { ...serverView(server, viewOptionsOf(claims)), adminPass } });
}

const changesIn = (request: RebuildRequest): ServerChange => ({
  image_ref: request.imageRef,
  ...(request.name !== undefined && { name: request.name.trim() }),
  ...(request.description !== undefined && { description: request.description }),
  ...(request.metadata !== undefined && { metadata: request.metadata }),
  ...(request.user_data !== undefined && { user_data: request.user_data }),
  ...(request.hostname !== undefined && { hostname: request.hostname }),
});

async function keyOf(
  deps: RouteDeps,
  claims: ContextClaims,
  name: RebuildRequest['key_name'],
): Promise<ServerChange> {
  if (name === undefined) return {};
  if (name === null) return { key_name: null, public_key: null };
  const found = await ownKeypair(deps, claims, name);
  return { key_name: found.name, public_key: found.public_key };
}
