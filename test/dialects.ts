/** The three shapes in which people have UniFi. */
export const dialects = [
  { dialect: 'unifi-integration on a console', driver: 'unifi-integration', flavour: 'console' },
  { dialect: 'unifi-classic on a console', driver: 'unifi-classic', flavour: 'console' },
  { dialect: 'unifi-classic self-hosted', driver: 'unifi-classic', flavour: 'self-hosted' },
]
