// Runs before the first paint: a module or an inline script would be too late, or forbidden by the policy of the page.
;(() => {
  const page = document.documentElement
  if (page.dataset.theme === 'auto' && matchMedia('(prefers-color-scheme: dark)').matches)
    page.dataset.mantineColorScheme = 'dark'
  // A file that is missing, blocked or broken.
  const noteFailure = () => {
    page.dataset.startFailed = ''
  }
  addEventListener('error', noteFailure, true)
  // Until the app handles it, Enter would load the page again and lose what was typed.
  addEventListener('submit', (event) => event.preventDefault())
})()
