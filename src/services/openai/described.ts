import * as z from 'zod/mini';

/** The schema, with a text for the model. Every zod 4 has the registry; the check `z.describe` came later. */
export const described = <Schema extends z.core.$ZodType>(
  schema: Schema,
  description: string,
): Schema => {
  z.globalRegistry.add(schema, { description });
  return schema;
};
