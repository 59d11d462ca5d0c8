import { useTranslation } from 'react-i18next'
import type { Site } from '../../../../client/voucher-api.generated.ts'
import { SiteSelect } from '../../components/site-select.tsx'
import { isFailing, siteStateText } from '../../sites.ts'
import classes from './desk.module.css'
import { mostSiteButtons } from './desk-data.ts'

type Props = { sites: Site[]; chosen: Site | undefined; onChoose: (siteId: number) => void }

/** Chooses the site of the desk while the app shows all sites: up to six are buttons, more are a list with a search. */
export function SiteField({ sites, chosen, onChoose }: Props) {
  const { t } = useTranslation()
  if (sites.length > mostSiteButtons)
    return (
      <SiteSelect
        label={t('desk-site.label')}
        placeholder={t('desk.choose-site')}
        mb={24}
        size="md"
        allowDeselect={false}
        value={chosen ? String(chosen.id) : null}
        onChange={(id) => id && onChoose(Number(id))}
      />
    )
  return (
    <fieldset className={classes.cards} style={{ margin: '0 0 24px' }}>
      <legend>{t('desk-site.label')}</legend>
      {sites.map(({ id, name, state }) => (
        <label
          key={id}
          className={classes.card}
          style={{ minHeight: 44 }}
          {...(id === chosen?.id && { 'data-chosen': true })}
        >
          <input type="radio" name="site" checked={id === chosen?.id} onChange={() => onChoose(id)} />
          <span className={classes.cardName} style={{ paddingRight: 0 }} title={name}>
            {name}
          </span>
          {isFailing(state) && <span className={classes.cardLimits}>{t(siteStateText(state))}</span>}
        </label>
      ))}
    </fieldset>
  )
}
