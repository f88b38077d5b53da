import { editorCapabilities } from "../../support/capabilities.ts";
import { compareTranscripts } from "../../support/compare_transcripts.ts";

compareTranscripts("editor", editorCapabilities, "prompts");
