export type OwnAddresses = { port: number; databaseUrl: string; redisUrl?: string | undefined }

/** Of this service, its database and its Redis: no address that somebody else names may lead there. */
export function ownPorts({ port, databaseUrl, redisUrl }: OwnAddresses): number[] {
  return [port, portOf(databaseUrl, 5432), ...(redisUrl ? [portOf(redisUrl, 6379)] : [])]
}

/** PostgreSQL's client also takes the port from the query. */
function portOf(url: string, usual: number): number {
  const { port, searchParams } = new URL(url)
  return Number(searchParams.get('port') || port || usual)
}
