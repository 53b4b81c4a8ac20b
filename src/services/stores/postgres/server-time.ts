/** The time of the one clock that all processes share, in whole milliseconds. */
export const SERVER_NOW = `date_trunc('milliseconds', clock_timestamp())`;

/** A parameter in milliseconds since the epoch as a time. */
export const timeOf = (parameter: string): string =>
  `to_timestamp(${parameter}::double precision / 1000)`;

/** A time as milliseconds since the epoch. */
export const millisecondsOf = (column: string): string =>
  `round(extract(epoch FROM ${column}) * 1000)::bigint`;

/** A parameter in milliseconds as an interval. */
export const intervalOf = (parameter: string): string =>
  `${parameter}::double precision * interval '1 millisecond'`;
