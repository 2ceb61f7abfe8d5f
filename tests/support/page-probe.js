/**
 * Runs in the page before the page's own code (Playwright's init script): lets a story see what is not in the document.
 * @file
 */
(() => {
  const sounds = [];
  // The player's elements are not in the document: only their making can be seen.
  window.Audio = class extends window.Audio {
    constructor(source) {
      super(source);
      sounds.push(this);
    }
  };

  window.katariProbe = {
    /** The sound that plays now; null while all is silent. */
    playing() {
      const element = sounds.find((one) => !one.paused && one.currentTime > 0);
      return element === undefined ? null : { url: element.src, atSeconds: element.currentTime };
    },

    /** How far the page is wider than its window, in CSS pixels. */
    overflow: () => document.documentElement.scrollWidth - window.innerWidth,

    /** What axe-core (which must be in the page) finds wrong. */
    async findings() {
      const { violations } = await window.axe.run(document, { resultTypes: ["violations"] });
      return violations.map(({ id, help, nodes }) => ({
        id,
        help,
        nodes: nodes.map((node) => `${node.html.slice(0, 160)}: ${node.failureSummary}`),
      }));
    },

    /** Everything that is to be read in the page's own language: texts, labels, titles; not what is the book's. */
    texts() {
      const own = (element) =>
        element.closest("[lang]")?.lang === document.documentElement.lang &&
        element.closest("[aria-hidden=true]") === null;
      // React writes a sentence with values in it as several pieces.
      const textOf = (element) =>
        [...element.childNodes]
          .filter((node) => node.nodeType === Node.TEXT_NODE)
          .map((node) => node.data)
          .join("");
      const found = new Set([document.title]);
      const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
      for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
        const { parentElement } = node;
        if (parentElement.closest("script, style, code") === null && own(parentElement))
          found.add(textOf(parentElement).trim());
      }
      for (const element of document.querySelectorAll("[aria-label], [title], [alt], [aria-valuetext]"))
        if (own(element))
          for (const name of ["aria-label", "title", "alt", "aria-valuetext"])
            found.add(element.getAttribute(name)?.trim() ?? "");
      found.delete("");
      return [...found];
    },

    /** The file that somebody drags, as the browser hands it to the page. */
    dragged(name, text) {
      const transfer = new DataTransfer();
      transfer.items.add(new File([text], name));
      return transfer;
    },
  };
})();
