import { createPlaceGuard } from '@tenure/http';
import { newCallContext } from '@tenure/signed-context';
import { createBootMedia, type ServedBootMedia } from './adapters/media/boot-media.js';
import { createImageCache } from './adapters/media/image-cache.js';
import { DOWNLOAD_LIMITS } from './adapters/media/image-download.js';
import { type ConductorMetrics } from './application/metrics.js';
import { type ConductorConfig, reachedAt } from './config.js';
import { type InventoryPort } from './ports/inventory-port.js';

/** Where the media are served, once they are: the port may be any that was free. */
export interface MediaPlace {
  port: number;
}

interface MediaParts {
  readonly place: MediaPlace;
  /** Whether a part of Tenure listens on this port of the same machine. */
  readonly isOwnPort: (port: number) => boolean;
  readonly metrics: ConductorMetrics;
  readonly stopping: AbortSignal;
}

/** The media of boots: made from cached images, found by the nodes' records. */
export const openMedia = (
  inventory: InventoryPort,
  config: ConductorConfig,
  { place, isOwnPort, metrics, stopping }: MediaParts,
): ServedBootMedia =>
  createBootMedia({
    cache: createImageCache({
      directory: config.mediaDirectory,
      maxBytes: config.mediaMaxBytes,
      cacheBytes: config.mediaCacheBytes,
      guard: createPlaceGuard({
        networks: [],
        allowLoopback: config.agentAllowLoopback,
        isOwnPort,
      }),
      limits: DOWNLOAD_LIMITS,
      stopping,
      observe: metrics.media.fetched,
    }),
    mediaUrl: () =>
      config.mediaUrl === ''
        ? reachedAt({ host: config.mediaHost, port: place.port })
        : config.mediaUrl,
    apiUrl: config.agentApiUrl === '' ? undefined : config.agentApiUrl,
    nodeOf: (uuid) => inventory.getNode(newCallContext('tenure:conductor:media'), uuid),
  });
