/** What the audit keeps of a new site. */
export function siteAdded(site: { id: number; name: string; controller: string; controllerSite: string }) {
  const { id, name, controller, controllerSite } = site
  return {
    action: 'site.added',
    targetKind: 'site',
    targetId: String(id),
    details: { name, controller, controllerSite },
  }
}
