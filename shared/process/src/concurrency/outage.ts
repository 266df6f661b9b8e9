export interface OutageOptions {
  /** Called with the first failure of an outage, and not with those that follow. */
  readonly began: (error: unknown) => void;
  /** Called with the first success after an outage. */
  readonly ended?: () => void;
  /** Whether there is one from the start: then its beginning is not reported, and its end is. */
  readonly isOn?: boolean;
}

/** Whether something fails at present, reported once when that begins and once when it ends. */
export interface Outage {
  readonly isOn: () => boolean;
  readonly failed: (error: unknown) => void;
  readonly succeeded: () => void;
}

export function createOutage({ began, ended, isOn = false }: OutageOptions): Outage {
  let isPresent = isOn;
  return {
    isOn: () => isPresent,
    failed: (error) => {
      if (!isPresent) began(error);
      isPresent = true;
    },
    succeeded: () => {
      if (isPresent) ended?.();
      isPresent = false;
    },
  };
}
