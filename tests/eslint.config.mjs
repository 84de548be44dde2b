// Rules for the modules of the pages; run by `make lint`. `no-undef` sees a name that is not imported,
// `no-unused-vars` an import that is not needed.

const BROWSER = `AbortController Blob CSS ClipboardItem DecompressionStream FileReader Image IntersectionObserver Intl
  MouseEvent Node NodeFilter ResizeObserver Response Text TextEncoder URL URLSearchParams XMLSerializer addEventListener dispatchEvent Event atob
  cancelAnimationFrame clearTimeout confirm document fetch getComputedStyle getSelection history innerHeight innerWidth
  localStorage location matchMedia navigator performance requestAnimationFrame requestIdleCallback scrollBy scrollY setTimeout`.split(/\s+/);

export default [{
  languageOptions: { ecmaVersion: 2024, sourceType: "module", globals: Object.fromEntries(BROWSER.map((name) => [name, "readonly"])) },
  linterOptions: { reportUnusedDisableDirectives: "error" },
  rules: Object.fromEntries(`array-callback-return constructor-super default-case-last dot-notation eqeqeq for-direction
    getter-return no-async-promise-executor no-class-assign no-cond-assign no-const-assign no-constant-condition
    no-dupe-args no-dupe-class-members no-dupe-else-if no-dupe-keys no-duplicate-case no-duplicate-imports no-else-return
    no-empty no-empty-pattern no-eval no-ex-assign no-fallthrough no-func-assign no-implied-eval no-import-assign
    no-loss-of-precision no-obj-calls no-prototype-builtins no-redeclare no-self-assign no-self-compare no-shadow
    no-sparse-arrays no-throw-literal no-undef no-unmodified-loop-condition no-unreachable no-unsafe-finally
    no-unsafe-optional-chaining no-unused-expressions no-unused-vars no-useless-escape no-var
    prefer-const use-isnan valid-typeof`.split(/\s+/).map((name) => [name, "error"])),
}];
