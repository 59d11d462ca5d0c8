import { createControllerAddressPolicy } from '#drivers/controller-address-policy.ts'

/** For tests in which every port of this machine may be a controller's. */
export const addressPolicy = createControllerAddressPolicy({ port: 0, databaseUrl: 'postgres://localhost' })
