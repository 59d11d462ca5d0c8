/** What a controller lets us in with, as it is sealed in `controllers.secret`. */
export type Credentials = { apiKey: string } | { username: string; password: string }

export type DriverKind = { about: string; credentials: 'api-key' | 'login' }
