/** Milliseconds since the epoch, by the one clock that all processes share. */
export const SERVER_NOW = 'floor(extract(epoch FROM clock_timestamp()) * 1000)::double precision';
