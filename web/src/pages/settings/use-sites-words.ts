import { useTranslation } from 'react-i18next'
import { useFindSite } from '../../sites.ts'

type SiteRights = { all_sites: boolean; site_ids: number[] }

/** Returns a function that names the sites of somebody's rights: one or two by name, otherwise how many. */
export function useSitesNamer(): (rights: SiteRights) => string {
  const { t } = useTranslation()
  const find = useFindSite()
  return ({ all_sites: isAll, site_ids: ids }) => {
    if (isAll) return t('settings.all-sites')
    const names = ids.slice(0, 2).map((id) => find(id)?.name)
    return ids.length > 2 || names.includes(undefined) ? t('settings.sites', { count: ids.length }) : names.join(', ')
  }
}

/** The sites of somebody's rights in words. */
export function useSitesWords(rights: SiteRights): string {
  return useSitesNamer()(rights)
}
