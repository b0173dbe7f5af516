/* Nothing. Status: unbuilt */
