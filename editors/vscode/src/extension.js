// Starts `otus lsp` and connects the editor with it. Everything else is in the server.
"use strict";

const vscode = require("vscode");
const { LanguageClient, TransportKind } = require("vscode-languageclient/node");

/** @type {LanguageClient | undefined} */
let client;

/** The texts that the server knows. */
const documents = [
  ...["hsf", "hif", "hcf", "htf", "ctl"].map((ending) => ({ language: `otus-${ending}` })),
  { language: "mermaid" },
  { language: "plantuml" },
  { language: "markdown" },
  { pattern: "**/*.{mmd,mermaid,puml,plantuml,pu,iuml,wsd}" },
  { pattern: "**/otus.toml" },
];

async function start() {
  const settings = vscode.workspace.getConfiguration("otus");
  const command = settings.get("command", "otus");
  const server = { command, args: settings.get("arguments", ["lsp"]), transport: TransportKind.stdio };
  client = new LanguageClient("otus", "Otus", server, { documentSelector: documents });
  try {
    await client.start();
  } catch (error) {
    client = undefined;
    const advice = "Install it, or say in the setting otus.command where it is.";
    vscode.window.showErrorMessage(`Otus: ${command} cannot be started. ${advice} (${error})`);
  }
}

async function stop() {
  const stopped = client;
  client = undefined;
  await stopped?.stop();
}

async function activate(context) {
  const restart = async () => {
    await stop();
    await start();
  };
  context.subscriptions.push(vscode.commands.registerCommand("otus.restart", restart));
  await start();
}

module.exports = { activate, deactivate: stop };
