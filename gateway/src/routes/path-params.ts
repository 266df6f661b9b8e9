import { type TSchema, Type } from '@sinclair/typebox';

interface ParamForm {
  readonly about: string;
  readonly schema: TSchema;
}

export const MAX_IDENT_LENGTH = 255;

const Segment = Type.String({ minLength: 1, maxLength: MAX_IDENT_LENGTH });

/** Every segment in braces. */
export const PATH_PARAMS: Readonly<Record<string, ParamForm>> = {
  ident: { about: 'UUID or name.', schema: Segment },
  trait: { about: 'A standard trait, or one of your own.', schema: Segment },
  vif: { about: 'Id of a virtual interface.', schema: Segment },
  setting: { about: 'Name of a BIOS setting.', schema: Segment },
  event: { about: 'UUID of an event.', schema: Segment },
  handover: { about: 'UUID of a handover.', schema: Segment },
  indicator: { about: 'An indicator and its component, or a component.', schema: Segment },
  lamp: { about: 'An indicator of the component.', schema: Segment },
  driver: { about: 'Name of a driver.', schema: Segment },
  method: { about: 'Name of a method of the vendor.', schema: Segment },
  flavor: { about: 'Id of a flavor: a resource class.', schema: Segment },
  keypair: { about: 'Name of a key pair.', schema: Segment },
  hostname: { about: 'Name of a conductor.', schema: Segment },
};
