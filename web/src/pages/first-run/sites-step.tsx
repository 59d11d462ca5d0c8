import { Anchor, Checkbox, Group, Loader, Stack, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Controller, OfferedSite } from '../../../../client/voucher-api.generated.ts'
import { ConnectionTest } from '../../components/controller/connection-test.tsx'
import { useRecordedTest } from '../../components/controller/use-recorded-test.ts'
import { ErrorMessage } from '../../components/state-pages.tsx'
import { useSaveForm } from '../../hooks/use-save-form.ts'
import { controllerSitesQuery } from '../../queries/controllers.ts'
import { type SetupState, saveSites } from '../../queries/setup.ts'
import classes from './first-run-frame.module.css'
import { Heading, NextButton } from './step-parts.tsx'

type Props = { state: SetupState; onDone: () => void; onOtherController: () => void }

/**
 * Adds the sites that the newest controller has, under the names that guests know. If the controller does not answer or has no
 * site, the test shows why and how to fix it.
 */
export function SitesStep({ state, onDone, onOtherController }: Props) {
  const { t } = useTranslation()
  const controller = state.controllers[0] as Controller
  const { test, run, remedies } = useRecordedTest({ controllerId: controller.id })
  // Once, when the step opens.
  useEffect(run, [])
  const found = test.check?.sites?.length ? test.check.sites : undefined
  const sites = useNumberedSites(state, controller, found)
  const hasFailed = !test.isRunning && (test.error || (test.check && !found))
  const text = sites ? 'setup.sites-text' : hasFailed ? 'setup.sites-failed' : 'setup.sites-wait'
  return (
    <>
      <Heading
        title={t('setup.find-sites')}
        text={t(text, { controller: controller.name, count: sites?.length ?? 0 })}
      />
      {sites && <SiteChoice controller={controller} sites={sites} recorded={state.sites} onDone={onDone} />}
      {hasFailed && (
        <div className={classes.narrow}>
          <ConnectionTest test={test} onRun={run} remedies={remedies} />
        </div>
      )}
      {!sites && !hasFailed && <Loader size="sm" />}
      <Anchor component="button" type="button" mt={28} fz={13.5} onClick={onOtherController}>
        {t('setup.other-controller')}
      </Anchor>
    </>
  )
}

/** The found sites with the numbers of those that are recorded already. The controller is asked only if there are such. */
function useNumberedSites(
  { sites }: SetupState,
  { id }: Controller,
  found: Pick<OfferedSite, 'controller_site' | 'name'>[] | undefined,
): OfferedSite[] | undefined {
  const hasRecorded = sites.some(({ controller_id }) => controller_id === id)
  const { data } = useQuery({ ...controllerSitesQuery(id), enabled: hasRecorded })
  if (hasRecorded) return data?.sites
  return found?.map((site) => ({ ...site, site_id: null }))
}

/** A search field appears if there are more sites than this. */
const sitesWithoutSearch = 12

type ChoiceProps = {
  controller: Controller
  sites: OfferedSite[]
  recorded: SetupState['sites']
  onDone: () => void
}

function SiteChoice({ controller, sites, recorded, onDone }: ChoiceProps) {
  const { t } = useTranslation()
  const [search, setSearch] = useState('')
  const { form, element, isSaving, error } = useSaveForm({
    initialValues: {
      sites: sites.map((site) => ({ ...site, isChosen: true, name: firstName(site, recorded) })),
      none: null,
    },
    validate: ({ sites: all }) => {
      const chosen = all.filter(({ isChosen }) => isChosen)
      if (chosen.length === 0) return { none: t('setup.add-none') }
      const unnamed = all.flatMap(({ isChosen, name }, index) => (isChosen && name.trim() === '' ? [index] : []))
      return Object.fromEntries(unnamed.map((index) => [`sites.${index}.name`, t('setup.site-name-missing')]))
    },
    toFields: (values) => ({
      sites: values.sites
        .filter(({ isChosen }) => isChosen)
        .map(({ controller_site, name, site_id }) => ({ controller_site, name: name.trim(), siteId: site_id })),
    }),
    create: saveSites(controller.id),
    onSaved: onDone,
  })
  const chosen = form.values.sites.filter(({ isChosen }) => isChosen)
  const added = chosen.filter(({ site_id }) => site_id === null)
  const chooseAll = (isChosen: boolean) =>
    form.setFieldValue('sites', (all) => all.map((site) => ({ ...site, isChosen: isChosen || site.site_id !== null })))
  const label = chosen.length === sites.length ? 'setup.add-all' : 'setup.add-some'
  const isShown = ({ name, controller_site }: OfferedSite) =>
    `${name} ${controller_site}`.toLowerCase().includes(search.trim().toLowerCase())
  return (
    <form {...element} className={classes.narrow}>
      <Stack gap="md">
        {sites.length > sitesWithoutSearch && (
          <TextInput
            aria-label={t('setup.search')}
            placeholder={t('setup.search')}
            value={search}
            onChange={(event) => setSearch(event.currentTarget.value)}
          />
        )}
        {sites.length > 1 && (
          <Checkbox
            fw={500}
            label={t('setup.select-all', { count: sites.length })}
            checked={chosen.length === sites.length}
            indeterminate={chosen.length > 0 && chosen.length < sites.length}
            onChange={(event) => chooseAll(event.currentTarget.checked)}
          />
        )}
        <div className={classes.sites}>
          {sites.map((site, index) => {
            if (!isShown(site)) return null
            const isChosen = form.values.sites[index]?.isChosen
            return (
              <div key={site.controller_site} className={classes.site}>
                {sites.length > 1 && (
                  <Checkbox
                    label={site.name || site.controller_site}
                    disabled={site.site_id !== null}
                    {...form.getInputProps(`sites.${index}.isChosen`, { type: 'checkbox' })}
                  />
                )}
                {isChosen && (
                  <TextInput
                    autoFocus={sites.length === 1}
                    {...(sites.length === 1
                      ? { label: t('setup.site-name') }
                      : { 'aria-label': t('setup.site-name-of', { site: site.name || site.controller_site }) })}
                    placeholder={t('setup.site-name-example')}
                    {...form.getInputProps(`sites.${index}.name`)}
                  />
                )}
              </div>
            )
          })}
        </div>
        {sites.every((site) => !isShown(site)) && <Text c="dimmed">{t('setup.none-found')}</Text>}
        {form.errors['none'] && (
          <Text fz="sm" c="var(--mantine-color-error)" role="alert">
            {form.errors['none']}
          </Text>
        )}
        {error && <ErrorMessage error={error} />}
        <Group>
          <NextButton isLoading={isSaving} {...(added.length > 0 && { label: t(label, { count: added.length }) })} />
        </Group>
      </Stack>
    </form>
  )
}

/** The name here, or the one on the controller. UniFi calls the first site "Default", which helps no guest. */
function firstName({ name, site_id }: OfferedSite, recorded: SetupState['sites']): string {
  const known = recorded.find(({ id }) => id === site_id)?.name ?? name
  return /^default$/i.test(known.trim()) ? '' : known
}
