/** Addresses where no controller and no mail server can be. Private ranges and loopback are not among them. */
export const unusableAddresses = [
  '0.0.0.0/8', // another form of this host
  '169.254.0.0/16', // link-local, and the metadata of most clouds
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, broadcast
  '::/96', // unspecified, and IPv4-compatible addresses, which are obsolete
  '64:ff9b:1::/48', // NAT64 of a local network: the position of the IPv4 address depends on that network
  'fe80::/10', // link-local
  'ff00::/8', // multicast
  // Cloud metadata services whose addresses are not link-local:
  '100.100.100.200', // Alibaba
  'fd00:100::100:200',
  '168.63.129.16', // Azure
  '192.0.0.192', // Oracle
  'fd00:c1::a9fe:a9fe',
  'fd00:ec2::/32', // AWS
  'fd20:ce::254', // Google
  'fd00:42::42', // Scaleway
  'fd00:a9fe:a9fe::1', // Linode
]
